from tests.by_recipe.memories.hopfield.page import PAGE

PAGE.show()
