// Writes `public/vendor` for the container image, which has no set-up.
import { writePageScripts } from './set-up/page-scripts.mjs'

await writePageScripts(9)
