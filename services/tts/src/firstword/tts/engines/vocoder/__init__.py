"""Our own vocoder for CPUs: convolutions with fewer multiplications, compiled for this machine.

It knows arrays alone: nothing of text, voices by name, files or sockets. In the order of the data:
`vocoder` (an utterance or a stretch of it) over `decoder`, `source` and `generator`; these over
`resblock`, `norms`, `istft`, `passes`; at the bottom `convolution` and `projection`, written in the
vector instructions of `lanes` and `activation`, the matrices of `toomcook`, the threads of `crew`
and the memory of `scratch`. Import `jit` first and say where compiled code is kept.
"""
