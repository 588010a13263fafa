"""Eight threads move nodes between two trees while another collects, and the interpreter ends (test_trees_end.py).

    python trees_at_the_end.py joined|daemon|exit SECONDS

joined: all threads have ended, and the trees, with selfs of classes made in Python, are there at the end. daemon: the
threads go on. exit: likewise, and `sys.exit(7)` ends the process.
"""

import gc
import sys
import threading
import time

import pairbond
from pairbond_testext import Paragraph, Section


class Marked(Section):
    def __init__(self, title):
        super().__init__(title)
        self.mark = [self]


class Line(Paragraph):
    def __init__(self, text):
        super().__init__(text)
        self.mark = self


def build(title, count):
    root = Marked(title)
    for number in range(count):
        inner = Marked(f"{title} {number}") if number % 3 else Section(f"{title} {number}")
        inner.fill(3)
        inner.write(Line("marked"))
        root.add(inner)
    return root


def main(how, seconds):
    trees = build("left", 24), build("right", 24)
    end = time.monotonic() + seconds
    stop = threading.Event()
    moved = [0] * 8
    kept = pairbond.List([])

    def move(number):
        step = number
        while not stop.is_set():
            step += 1
            source, target = trees[step % 2], trees[(step + 1) % 2]
            try:
                section = source.subsection(step * 7 % 24)
                if section is None:
                    section = target.subsection(step % 5)
                    source, target = target, source
                if section is None:
                    continue
                section.detach()
                section.mark = section
                target.add(section)
                if step % 5 == 0:
                    paragraph = section.paragraph(0)
                    if paragraph is not None:
                        paragraph.note = (section, paragraph)
                        paragraph.detach() if step % 2 else paragraph.erase()
                    section.fill(1)
                    section.write(Line(str(step)))
                if step % 11 == 0:
                    kept.append(section)
                    if len(kept) > 40:
                        kept.clear()
                moved[number] += 1
            except (pairbond.InvalidatedError, ValueError, TypeError, RuntimeError, IndexError):
                pass

    def collect():
        while not stop.is_set():
            gc.collect()

    threads = [threading.Thread(target=move, args=(number,), daemon=how != "joined") for number in range(8)]
    threads.append(threading.Thread(target=collect, daemon=how != "joined"))
    for thread in threads:
        thread.start()
    time.sleep(max(0.0, end - time.monotonic()))
    if how == "joined":
        stop.set()
        for thread in threads:
            thread.join()
    assert any(moved), moved
    global KEPT
    KEPT = trees, kept
    if how == "exit":
        sys.exit(7)


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]))
