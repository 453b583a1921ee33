// `npm run build`: the programs in `dist`.

import { runScript, setUp } from './set-up/set-up.mjs'
import { built, dependencies, nodeVersion, pageScripts } from './set-up/steps.mjs'

await runScript(() => setUp([nodeVersion, dependencies, pageScripts, built]))
