import sys; open('made', 'w').write(str(int(sys.stdin.read() or 20.5 * 2) * 2))
