# /// case
# attack = "Asks for io_uring, BPF, performance counters, userfaultfd and hidden memory."
# refused = true
# parts = ["numbers"]
# ///
empty = ctypes.create_string_buffer(256)
attempt("io_uring_setup", lambda: kernel(425, 8, empty))
attempt("bpf", lambda: kernel(number(321, 280), 0, empty, 128))
attempt("perf_event_open", lambda: kernel(number(298, 241), empty, 0, -1, -1, 0))
attempt("userfaultfd", lambda: kernel(number(323, 282), 1))
attempt("fanotify", lambda: kernel("fanotify_init", 0, 0))
attempt("memfd_secret", lambda: kernel(447, 0))
