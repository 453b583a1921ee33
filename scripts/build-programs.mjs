// Builds the programs and the packages for the image, where only dependencies are installed.
import { programs } from './set-up/build.mjs'
import { writePackages } from './set-up/packages.mjs'

await programs.build()
await writePackages()
