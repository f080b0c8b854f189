#error the text of a private file: salamander-7f3d
