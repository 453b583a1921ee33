// The scripts of npm packages that pages load, in `public/vendor`. `npm start`, `npm run build` and `npm test` make them
// when they are missing; the container image has no set-up, and runs this.
import { writePageScripts } from './set-up/page-scripts.mjs'

await writePageScripts()
