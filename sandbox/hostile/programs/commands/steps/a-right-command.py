open('made', 'w').write('42')
