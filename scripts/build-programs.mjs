// Builds the programs for the image, where only dependencies are installed.
import { programs } from './set-up/build.mjs'

await programs.build()
