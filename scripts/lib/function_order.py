"""Writes the functions of the command that usual requests call, for the linker, which puts them side by side.

    function_order.py COMMAND FILE

The kernel maps a program in pieces of 64 KB around each place that is used. Where those places are spread over the whole
program, a small request has three quarters of its memory in functions that nobody calls. `scripts/command` links, runs this,
and links again with `--symbol-ordering-file FILE`. A name that the linker does not find has no effect.

Each function gets a breakpoint, which is removed when it is reached, so that this takes seconds and needs no other program.
It knows x86-64 on Linux, and fails where the system does not allow tracing.
"""

import contextlib
import ctypes
import os
import platform
import re
import signal
import struct
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

import processes

SECONDS = 600  # for all runs; one takes less than a second
BREAKPOINT = 0xCC  # the instruction int3, of one byte
TRACEME, PEEKUSER, POKEUSER, CONT, SETOPTIONS = 0, 3, 6, 7, 0x4200
EXIT_KILL, TRACE_CLONE = 1 << 20, 1 << 3
WALL = 0x40000000  # waits for threads, too
PROGRAM_COUNTER = 16 * 8  # its place in `struct user`
SYMBOL_TABLE, FUNCTION, LOAD, EXECUTABLE = 2, 2, 1, 1

libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
libc.ptrace.restype = ctypes.c_long


def ptrace(request: int, thread: int, address: int = 0, data: int = 0) -> int:
    ctypes.set_errno(0)
    result = libc.ptrace(request, thread, address, data)
    if result == -1 and ctypes.get_errno():
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


class NoTracing(processes.Problem):
    """The system does not allow a process to trace another one."""


class Program:
    """The functions of an executable (ELF, 64 bits), by their addresses before it is loaded."""

    def __init__(self, path: Path):
        self.path = path
        data = path.read_bytes()
        if data[:5] != b"\x7fELF\x02":
            raise processes.Problem(f"{path} is not an executable of 64 bits.")
        segments, sections = struct.unpack_from("<QQ", data, 32)
        segment_size, segment_count, section_size, section_count = struct.unpack_from("<HHHH", data, 54)
        loaded = [struct.unpack_from("<IIQQQQ", data, segments + index * segment_size) for index in range(segment_count)]
        # The start, the end of each segment of code.
        self.code = [(where, where + size) for kind, flags, _, where, _, size in loaded if kind == LOAD and flags & EXECUTABLE]
        self.first = min(where for kind, _, _, where, _, _ in loaded if kind == LOAD)
        headers = [struct.unpack_from("<IIQQQQIIQQ", data, sections + index * section_size) for index in range(section_count)]
        self.names: dict[int, list[str]] = {}
        for _, kind, _, _, offset, size, link, _, _, each in headers:
            if kind != SYMBOL_TABLE:
                continue
            texts = headers[link][4]
            for place in range(offset, offset + size, each):
                name, info, _, section, value, length = struct.unpack_from("<IBBHQQ", data, place)
                if info & 15 == FUNCTION and section and length and any(start <= value < end for start, end in self.code):
                    end = data.index(b"\0", texts + name)
                    self.names.setdefault(value, []).append(data[texts + name : end].decode())


def called(program: Program, arguments: Iterable[str], home: Path) -> dict[int, None]:
    """Runs the program to its end, without input, output and settings; the addresses of the functions that it calls, in their order."""
    child = os.fork()
    if child == 0:
        null = os.open(os.devnull, os.O_RDWR)
        for descriptor in range(3):
            os.dup2(null, descriptor)
        try:
            ptrace(TRACEME, 0)
            os.execve(program.path, [str(program.path), *arguments], {"HOME": str(home)})
        finally:
            os._exit(127)
    _, status = os.waitpid(child, WALL)
    if not os.WIFSTOPPED(status):
        raise NoTracing("The system does not allow tracing.")
    ptrace(SETOPTIONS, child, 0, EXIT_KILL | TRACE_CLONE)
    mapped = re.search(rf"^([0-9a-f]+)-.* 00000000 .*{re.escape(str(program.path))}$", Path(f"/proc/{child}/maps").read_text(), re.M)
    if mapped is None:
        raise processes.Problem(f"{program.path} is not mapped.")
    base = int(mapped[1], 16) - program.first
    found: dict[int, None] = {}
    with open(f"/proc/{child}/mem", "r+b", buffering=0) as memory:
        original = set_breakpoints(memory, base, program)
        status = run(child, memory, base, original, found)
    if status != 0:
        raise processes.Problem(f"{program.path} {' '.join(arguments)} has failed.")
    return found


def set_breakpoints(memory, base: int, program: Program) -> dict[int, int]:
    """Puts a breakpoint at each function; the bytes that were there."""
    original: dict[int, int] = {}
    for start, end in program.code:
        memory.seek(base + start)
        code = bytearray(memory.read(end - start))
        for address in program.names:
            if start <= address < end:
                original[address] = code[address - start]
                code[address - start] = BREAKPOINT
        memory.seek(base + start)
        memory.write(code)
    return original


def run(child: int, memory, base: int, original: dict[int, int], found: dict[int, None]) -> int:
    """Lets the threads run until the process ends; its exit status."""
    thread, passed_on = child, 0
    while True:
        with contextlib.suppress(ProcessLookupError):  # The thread has ended with its process.
            ptrace(CONT, thread, 0, passed_on)
        thread, status = os.waitpid(-1, WALL)
        while not os.WIFSTOPPED(status):
            if thread == child:
                return os.waitstatus_to_exitcode(status)
            thread, status = os.waitpid(-1, WALL)
        passed_on = os.WSTOPSIG(status)
        if passed_on == signal.SIGTRAP:
            passed_on = 0
            if status >> 16 == 0:  # without an event
                with contextlib.suppress(ProcessLookupError):
                    step_back(thread, memory, base, original, found)
        elif passed_on == signal.SIGSTOP:
            passed_on = 0  # a new thread


def step_back(thread: int, memory, base: int, original: dict[int, int], found: dict[int, None]):
    """Removes the breakpoint that a thread has reached, unless another thread has done that, and has the thread go on with the function."""
    address = ptrace(PEEKUSER, thread, PROGRAM_COUNTER) - 1 - base
    if address not in original:
        return
    if address not in found:
        found[address] = None
        memory.seek(base + address)
        memory.write(bytes([original[address]]))
    ptrace(POKEUSER, thread, PROGRAM_COUNTER, base + address)


def usual_requests(command: Path, folder: Path) -> Iterable[list[str]]:
    """Runs servers, and yields the arguments of the requests."""
    with contextlib.ExitStack() as stack:
        plain = processes.Service("bluebonnet serve", [command, "serve"], folder / "http.log")
        stack.callback(plain.stop)
        secure = processes.Service("bluebonnet serve --tls", [command, "serve", "--tls", "--http2"], folder / "https.log")
        stack.callback(secure.stop)
        http = plain.wait_for(lambda: plain.logged(r"^(http://\S+)\n"))
        https = secure.wait_for(lambda: secure.logged(r"^(https://\S+)\n"))
        authority = secure.wait_for(lambda: secure.logged(r"^Its file: (\S+)\n"))
        file = str(folder / "body")
        yield [f"{http}/get"]
        yield [f"{http.replace('127.0.0.1', 'localhost')}/json", "--pretty=format", "--timeout=60"]
        yield ["post", f"{http}/post", "name=Ada", "-v"]
        yield [f"{http}/gzip"]
        yield [f"{http}/stream-bytes/4000000", "-o", file]
        yield ["download", f"{http}/stream-bytes/4000000", "--output", file + "2"]
        yield [f"{https}/get", "--insecure"]
        yield [f"{https}/get", "--insecure", "--http1.1"]
        # The certificate of a server that is trusted has its path checked.
        yield ["download", f"{https}/stream-bytes/4000000", "--output", file + "3", "--cacert", authority]
        yield ["download", f"{https}/stream-bytes/4000000", "--output", file + "4", "--cacert", authority, "--http1.1"]


def main(command: Path, file: Path):
    # The default action ends this process, and with it what it traces and its servers.
    signal.alarm(SECONDS)
    if platform.machine() != "x86_64":
        raise processes.Problem(f"The breakpoints of {platform.machine()} are not known here.")
    program = Program(command.resolve())
    found: dict[int, None] = {}
    with tempfile.TemporaryDirectory() as folder:
        for arguments in usual_requests(program.path, Path(folder)):
            found.update(called(program, arguments, Path(folder)))
    names = [name for address in found for name in sorted(program.names[address])]
    file.write_text("".join(f"{name}\n" for name in names))
    print(f"{len(found)} of {len(program.names)} functions are called by usual requests.")


if __name__ == "__main__":
    try:
        main(Path(sys.argv[1]), Path(sys.argv[2]))
    except (processes.Problem, OSError) as problem:
        sys.exit(f"scripts/lib/function_order.py: {problem}")
