"""How a model is trained: the corpus, what is to be predicted of it, the loop, and the measured
comparisons of the texts."""
