// `npm run build`: builds the programs into `dist`.

import { runScript, setUp } from './set-up/set-up.mjs'
import { built, nodeVersion, programDependencies } from './set-up/steps.mjs'

await runScript(() => setUp([nodeVersion, programDependencies, built]))
