// `npm run packages:build [-- FOLDER]`: builds `packages` into their `dist`, and packs them into a folder. Not a
// `prepack` script: `.npmrc` keeps npm from running any.
import { mkdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { root } from './set-up/folders.mjs'
import { buildPackages, packageNames, packPackage } from './set-up/packages.mjs'
import { packWheel } from './set-up/python-wheel.mjs'
import { runScript, setUp } from './set-up/set-up.mjs'
import { dependencies, nodeVersion } from './set-up/steps.mjs'

await runScript(async () => {
  await setUp([nodeVersion, dependencies])
  await buildPackages()
  console.log(`Built ${packageNames.map((name) => `packages/${name}`).join(', ')}.`)
  const [folder] = process.argv.slice(2)
  if (!folder) return
  // npm runs scripts in the repository, not in the folder of its caller.
  const target = resolve(process.env.INIT_CWD ?? root, folder)
  mkdirSync(target, { recursive: true })
  for (const name of packageNames) console.log(packPackage(root, name, target).tarball)
  console.log(packWheel(root, target))
})
