# SPDX-License-Identifier: Apache-2.0
"""A worker that does what it is asked to: answer, fail, die, hang."""

import os
import subprocess
import sys
import time

import dycl_worker


def echo(arguments, parts, progress):
    print("what a library says is not part of the answer")
    subprocess.run(["true"], check=True)
    return {"pid": os.getpid(), **arguments}, [part[::-1] for part in parts]


def count(arguments, parts, progress):
    for number in range(arguments["to"]):
        progress(f"{number + 1} of {arguments['to']}")
    return {}, []


def fail(arguments, parts, progress):
    raise dycl_worker.Failed("it cannot be done", code="test.cannot", hint="do something else")


def throw(arguments, parts, progress):
    raise ValueError("\nfirst line\nsecond line")


def die(arguments, parts, progress):
    print("the last words", file=sys.stderr, flush=True)
    os.kill(os.getpid(), 11)


def leave(arguments, parts, progress):
    os._exit(3)


def hang(arguments, parts, progress):
    time.sleep(60)


def nap(arguments, parts, progress):
    time.sleep(0.3)
    return {"pid": os.getpid()}, []


if __name__ == "__main__":
    dycl_worker.serve(
        {handler.__name__: handler for handler in (echo, count, fail, throw, die, leave, hang, nap)}
    )
