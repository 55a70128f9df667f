# /// case
# attack = "Leaves shared memory, a semaphore and a message queue that no process owns."
# refused = true
# ///
attempt("shmget", lambda: kernel("shmget", 0x524C, 4096, 0o1666))
attempt("msgget", lambda: kernel("msgget", 0x524C, 0o1666))
attempt("semget", lambda: kernel("semget", 0x524C, 1, 0o1666))
attempt("mq_open", lambda: kernel("mq_open", b"/rlenv", 0o102, 0o666, None))
