"""What headcount does, kept byte for byte: plans, costs, releases, messages and help, beside files of what they were.

requests.py     the requests, right ones and wrong ones, as plain data, and the tables that they are about
record.py       what is recorded of each request
expected.py     the stored files: written, read, compared
command_line.py the commands that are run, and the script that runs them
update.py       writes the files anew
"""
