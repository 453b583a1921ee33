// `npm run build:packages`: what is published of `packages`, in their `dist`. `npm pack` and `npm publish` run it first.
import { buildPackages } from './packages/build.mjs'
import { runScript, setUp } from './set-up/set-up.mjs'
import { dependencies, nodeVersion } from './set-up/steps.mjs'

await runScript(async () => {
  await setUp([nodeVersion, dependencies])
  await buildPackages()
})
