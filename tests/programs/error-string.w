xp a = "hello";
