"""What tests with several threads share."""

import threading


def together(*functions):
    """Runs functions at the same time; raises what the first that failed raised."""
    errors = []
    barrier = threading.Barrier(len(functions))

    def run(function):
        barrier.wait()
        try:
            function()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(function,)) for function in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
