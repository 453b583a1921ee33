// The programs in `dist` where dependencies are installed already and nothing else is: for the image.
import { programs } from './set-up/build.mjs'

await programs.build()
