"""What is seen of federated rounds, recorded and attacked on neighbours, with mistakes that must be found.

view.py            a view: a function of people, two neighbours, and what is claimed
record.py          all messages of a secure sum, and what a curious server makes of them
secure_sum.py      its server, with people who tell; a person who takes part; a late vector; tiny sums exactly
secure_rounds.py   the server of all rounds over prefixes
reports.py         what an aggregator shows of the rounds of a plan

python -m audits.views --runs 2000
"""
