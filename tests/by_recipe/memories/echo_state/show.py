from tests.by_recipe.memories.echo_state.page import PAGE

PAGE.show()
