"""Forks while other threads run passes: the lock of trees and the tables of a context are free in the child."""

import os
import subprocess
import sys

import pytest

FORKS = 1000 if os.environ.get("PAIRBOND_LONG") == "1" else 15

PROGRAM = """
import os, sys, threading, time
import pairbond_ir as ir

context = ir.Context()
with context:
    text = '%0 = "a.b"() : () -> i32 ' + '"a.c"(%0) : (i32) -> () ' * 2000
    module = ir.Module.parse(text)
    passes = ir.PassManager.parse("builtin.module(canonicalize,cse)")
ran = [0, 0]

def run(number):
    while True:
        passes.run(module.clone())
        ran[number] += 1

for number in range(2):
    threading.Thread(target=run, args=(number,), daemon=True).start()
while not all(ran):
    time.sleep(0.01)
for number in range(int(sys.argv[1])):
    child = os.fork()
    if not child:
        with context:
            copy = ir.Module.parse('"q.q%d"() {a = %d : i64} : () -> ()' % (number, number))
            copy.body.operations[0].erase()
            passes.run(copy)
        os._exit(0)
    end = time.monotonic() + 20
    while not (done := os.waitpid(child, os.WNOHANG))[0]:
        if time.monotonic() > end:
            os.kill(child, 9)
            os.waitpid(child, 0)
            print(f"child {number} hangs", flush=True)
            os._exit(1)
        time.sleep(0.0005)
    if done[1]:
        print(f"child {number} ended with {done[1]}", flush=True)
        os._exit(1)
print("fine", flush=True)
os._exit(0)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
def test_a_child_works_while_passes_run_in_the_parent():
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", PROGRAM, str(FORKS)], capture_output=True, text=True, timeout=3600
    )
    assert (done.stdout, done.returncode) == ("fine\n", 0), done.stdout + done.stderr[-3000:]
