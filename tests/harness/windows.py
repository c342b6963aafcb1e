"""Windows that open at random in the armed programs of a case, and close."""

import random
import socket
import threading
import time

from places import COUNTED


class Windows:
    """A client beside the program, until stop()."""

    def __init__(self, case, place, folder):
        self.sockets = place.root / "sockets"
        self.random = random.Random(str(case))
        self.request = "".join(
            f"RANGEFINDER_INJECT_{name}={value}\n" for name, value in (
                ("DIR", folder), ("MODE", case.mode),
                *(COUNTED | {"COUNT_PLAN": place.root / "plan"}
                  if case.mode == "count" else {}).items()))
        self.opened = 0
        self.ends = False
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self):
        while not self.ends:
            time.sleep(self.random.random() * 0.005)
            there = sorted(self.sockets.glob("*.sock"))
            if there:
                self.open(self.random.choice(there))

    def open(self, path):
        try:
            with socket.socket(socket.AF_UNIX) as client:
                client.settimeout(5)
                client.connect(str(path))
                client.sendall(f"open\n{self.request}\n".encode())
                self.opened += client.recv(100).startswith(b"opened")
                time.sleep(self.random.random() * 0.01)
                if self.random.random() < 0.5:  # or it leaves
                    client.sendall(b"close\n\n")
                    client.recv(100)
        except OSError:
            pass  # the program has ended, or somebody else owns the socket

    def stop(self):
        self.ends = True
        self.thread.join()
        return self.opened
