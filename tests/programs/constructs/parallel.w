xp socket a, b;
xp x[n=8] = {1, 2, 3, 4, 5, 6, 7, 8}, y[n=8], z[n=8], done;
parallel {
    i in [0, 8) a[] <- x[i];
    { i in [0, 8) y[i] <- a[]; i in [0, 8) b[] <- y[i]; }
    i in [0, 8) z[i] <- b[];
}
done = z[7];
