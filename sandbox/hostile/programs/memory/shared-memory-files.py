# /// case
# attack = "Fills /dev/shm, which is memory too."
# ///
print(42, flush=True)
for number in range(4096):
    with open(f"/dev/shm/held-{number}", "wb") as file:
        file.write(bytes(1 << 20))
