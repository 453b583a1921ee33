// `npm run docs:build [-- https://connect.example.com]`: writes the documentation as static files to `dist-docs`, for
// the root of a host. The URL is the deployment that the OpenAPI document names.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { writeSite } from './docs/write-site.mjs'
import { root } from './set-up/folders.mjs'
import { runScript, setUp } from './set-up/set-up.mjs'
import { builtModules, dependencies, nodeVersion } from './set-up/steps.mjs'

const [url = 'https://connect.example.com'] = process.argv.slice(2)

await runScript(async () => {
  await setUp([nodeVersion, dependencies, builtModules])
  const load = (/** @type {string} */ name) => import(new URL(`../dist-modules/${name}.js`, import.meta.url).href)
  const { exactApp } = await load('kit/http/exact-routing')
  const { servePages } = await load('kit/http/pages')
  const { describedApi } = await load('onboarding/app')
  const { apiDocs } = await load('onboarding/http/openapi/docs')
  const app = exactApp([])
  servePages(app)
  app.use(apiDocs(describedApi(url)))
  const server = app.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const read = async (/** @type {string} */ address) => {
    const answer = await fetch(`http://127.0.0.1:${server.address().port}${address}`)
    if (!answer.ok) throw new Error(`${address}: ${answer.status}`)
    return answer.text()
  }
  const folder = join(root, 'dist-docs')
  rmSync(folder, { recursive: true, force: true })
  await writeSite({ read, folder }).finally(() => server.close())
  console.log(`The documentation is in ${folder}`)
})
