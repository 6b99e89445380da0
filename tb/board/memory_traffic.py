#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random reads and writes of a board's memory over its host link (docs/link.md), with frames of its own, against a copy of what should be there; with the GPU running
between: memory_traffic.py DEVICE BYTES SEED N

Addresses are few, so that they meet, and lie where the SDRAM's rows, banks and words end.
"""
import os
import random
import select
import sys
import termios
import time
import tty
import zlib

BASE = 0x80000000
END, ESC = 0xC0, 0xDB


def encode(frame):
    whole = frame + zlib.crc32(frame).to_bytes(4, "little")
    return bytes([END]) + whole.replace(b"\xdb", b"\xdb\xdd").replace(b"\xc0", b"\xdb\xdc") + bytes([END])


class Board:
    def __init__(self, path):
        self.file = os.open(path, os.O_RDWR | os.O_NOCTTY)
        tty.setraw(self.file)
        termios.tcflush(self.file, termios.TCIOFLUSH)
        self.seq, self.pending = 0, b""

    def ask(self, op, fields=b"", seconds=60):
        reply = self.answer(op, fields, seconds)
        return reply if reply else sys.exit(f"no answer to operation {op}")

    def answer(self, op, fields, seconds):
        self.seq = (self.seq + 1) % 256
        os.write(self.file, encode(bytes([self.seq, op]) + fields))
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            if not select.select([self.file], [], [], 1)[0]:
                continue
            self.pending += os.read(self.file, 4096)
            *frames, self.pending = self.pending.split(bytes([END]))
            for frame in frames:
                frame = frame.replace(b"\xdb\xdc", b"\xc0").replace(b"\xdb\xdd", b"\xdb")
                if len(frame) >= 16 and zlib.crc32(frame[:-4]).to_bytes(4, "little") == frame[-4:] and frame[0] == self.seq and frame[1] == op | 0x80:
                    return frame[2], frame[12:-4]
        return None

    def find(self):
        """Asks until memory has been started: what comes while the board is reset is lost."""
        for _ in range(40):
            reply = self.answer(5, BASE.to_bytes(4, "little") + b"\4\0", 5)
            if reply and reply[0] == 0:
                return
        sys.exit("no answer from the board")


def main():
    device, n_bytes, seed, n = sys.argv[1], *map(int, sys.argv[2:])
    chance, board = random.Random(seed), Board(device)
    board.find()
    memory = {}
    # Ends of rows, of banks, of the memory; and one after the other in between.
    spots = [0, n_bytes - 64, 1024, 4096 - 32, 8192 - 8, 65536 - 3] + [chance.randrange(n_bytes - 1024) for _ in range(6)]
    wrong = 0
    for turn in range(n):
        at = min(chance.choice(spots) + chance.randrange(48), n_bytes - 1)
        size = min(chance.choice([1, 2, 3, 4, 5, 16, 33, 700]), n_bytes - at)
        address = (BASE + at).to_bytes(4, "little")
        kind = chance.randrange(8)
        if kind < 4:
            data = chance.randbytes(size)
            status, _ = board.ask(6, address + data)
            memory.update({at + i: byte for i, byte in enumerate(data)})
        elif kind < 5:
            at, size = at // 64 * 64, min(64 * chance.randrange(1, 5), (n_bytes - at // 64 * 64) // 64 * 64)
            status, _ = board.ask(7, (BASE + at).to_bytes(4, "little") + size.to_bytes(4, "little"))
            memory.update({at + i: 0 for i in range(size)})
        elif kind < 6:
            status, _ = board.ask(4, chance.randrange(3000).to_bytes(4, "little") + b"\0")
        else:
            status, data = board.ask(5, address + size.to_bytes(2, "little"))
            wrong += sum(memory.get(at + i, byte) != byte for i, byte in enumerate(data)) + (len(data) != size)
        if status:
            sys.exit(f"status {status} in turn {turn}, kind {kind}")
    for at in sorted(memory):
        if at - 1 in memory and at % 1024:
            continue
        run = 1
        while at + run in memory and run < 1024:
            run += 1
        _, data = board.ask(5, (BASE + at).to_bytes(4, "little") + run.to_bytes(2, "little"))
        wrong += sum(memory[at + i] != byte for i, byte in enumerate(data))
    print(f"{n} turns, {len(memory)} bytes written, {wrong} wrong")


if __name__ == "__main__":
    main()
