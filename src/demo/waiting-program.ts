// One of our two programs before its settings are known. Reading its modules takes longer than anything else at start,
// so that goes on while the stores start; with the settings it becomes the program itself.
import '../kit/process/quiet-libraries.ts'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'

const main = process.argv[2] ?? ''
const load = (file: string) => import(pathToFileURL(file).href)

// Nobody will send settings any more. Afterwards the program has its own way to end.
const leave = () => process.exit(1)
process.once('disconnect', leave)

const loaded = load(join(dirname(main), 'compose.js'))

process.once('message', async (settings: Record<string, string>) => {
  await loaded
  Object.assign(process.env, settings)
  process.off('disconnect', leave)
  await load(main)
})
