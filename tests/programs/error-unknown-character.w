sp x, y;
{ x <- x × y; }
