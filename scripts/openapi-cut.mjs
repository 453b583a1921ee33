// `npm run openapi:cut`: writes the OpenAPI document of this version. Later versions are compared with the newest one
// (docs/api-compatibility.md).
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root } from './set-up/folders.mjs'
import { runScript, setUp } from './set-up/set-up.mjs'
import { builtModules, dependencies, nodeVersion } from './set-up/steps.mjs'

await runScript(async () => {
  await setUp([nodeVersion, dependencies, builtModules])
  const load = (/** @type {string} */ file) => import(pathToFileURL(join(root, 'dist-modules', file)).href)
  const [{ describedApi }, { openApiDocument }] = await Promise.all([
    load('onboarding/app.js'),
    load('onboarding/http/openapi/openapi.js'),
  ])
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  if (version.includes('-')) {
    console.error(`package.json has ${version}: set the version of the release first (CONTRIBUTING.md)`)
    return 1
  }
  const file = `docs/reference/openapi-${version}.json`
  const document = openApiDocument(describedApi('https://connect.example.com'))
  writeFileSync(join(root, file), `${JSON.stringify(document, null, 1)}\n`)
  console.log(`written: ${file}`)
})
