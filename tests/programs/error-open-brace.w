xp a;
{
    if (a) {
        a <- 1;
}
