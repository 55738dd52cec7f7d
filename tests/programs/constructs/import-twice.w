import numbers;
import numbers;
xp out[2];
{ out[0] = twice(FOUR); out[1] = shared; }
