"""Operations on images: resizing, cropping, colours, boxes; files are `tinytf.ops.io`'s."""
