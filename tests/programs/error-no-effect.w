xp a;
{
    a + 1;
}
