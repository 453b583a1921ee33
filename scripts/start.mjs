// `npm start`: completes the set-up, then runs the demo in this process.
import { runScript, setUp } from './set-up/set-up.mjs'
import { bubblewrapForDemo, built, nodeVersion, programDependencies, redisForDemo } from './set-up/steps.mjs'

await runScript(async () => {
  await setUp([nodeVersion, programDependencies, redisForDemo, bubblewrapForDemo, built])
  const { main } = await import(new URL('../dist/demo/main.js', import.meta.url).href)
  await main()
})
