"""Operations, as cards by family; see `tinytf.framework.op_card`. Importing this loads them all."""
