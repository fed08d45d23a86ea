"""One file for each mechanism, with up to three functions. Epsilon is 1 in specimens, delta at most 1/30.

honest()                  specimens that keep their claim
wrong()                   specimens with a mistake, which an audit must find
enumerations(neighbours)  the exact delta on tiny data beside its price
"""
