socket a, b, c, d, e, f, g, h;
xp x[9];
{
    parallel {
        x[0] <- a[];
        x[1] <- b[];
        x[2] <- c[];
        x[3] <- d[];
        x[4] <- e[];
        x[5] <- f[];
        x[6] <- g[];
        x[7] <- h[];
        a[] <- x[8];
    }
}
