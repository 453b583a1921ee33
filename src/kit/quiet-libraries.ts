// Imported by a program before anything else. With DEBUG set, Express and ioredis print every address and command
// they see, codes and states included, past our log and its allow-list; they read the variable when they are loaded.
delete process.env.DEBUG
