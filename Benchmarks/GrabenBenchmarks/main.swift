print("graben")
