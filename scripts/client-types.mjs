// `npm run client:types`: writes the generated parts of packages/client from the API's document of today.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root } from './set-up/folders.mjs'
import { runScript, setUp } from './set-up/set-up.mjs'
import { builtModules, dependencies, nodeVersion } from './set-up/steps.mjs'

await runScript(async () => {
  await setUp([nodeVersion, dependencies, builtModules])
  const load = (/** @type {string} */ file) => import(pathToFileURL(join(root, file)).href)
  const [{ describedApi }, { openApiDocument }, { generateTypes }] = await Promise.all([
    load('dist-modules/onboarding/app.js'),
    load('dist-modules/onboarding/http/openapi/openapi.js'),
    load('packages/client/generate/generate-types.mjs'),
  ])
  const document = JSON.parse(JSON.stringify(openApiDocument(describedApi('https://connect.example.com'))))
  for (const [file, text] of Object.entries(await generateTypes(document))) {
    writeFileSync(join(root, 'packages/client/src', file), String(text))
    console.log(`written: packages/client/src/${file}`)
  }
})
