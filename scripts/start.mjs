// `npm start`: sets up what is missing, then becomes the demo.

import { runScript, setUp } from './set-up/set-up.mjs'
import { bubblewrapForDemo, built, dependencies, nodeVersion, pageScripts, redisForDemo } from './set-up/steps.mjs'

await runScript(async () => {
  await setUp([nodeVersion, dependencies, redisForDemo, bubblewrapForDemo, pageScripts, built])
  const { main } = await import(new URL('../dist/demo/main.js', import.meta.url).href)
  await main()
})
