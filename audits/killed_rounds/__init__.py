"""Rounds between real processes, of which the server or a client is killed at a random moment and started again.

wire.py     texts over sockets on this machine
ends.py     server and client, what each keeps on disk, and planted mistakes
trial.py    one round with a kill, and what must hold afterwards

python -m audits.killed_rounds --kills 200
"""
