// Loads a program's modules while the stores start, because that takes longest. Runs the program when its settings arrive.
import '../kit/process/quiet-libraries.ts'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'

const main = process.argv[2] ?? ''
const load = (file: string) => import(pathToFileURL(file).href)

// The demo has ended, so no settings will arrive. Once the program runs, it handles this itself.
const leave = () => process.exit(1)
process.once('disconnect', leave)

const loaded = load(join(dirname(main), 'compose.js'))

process.once('message', async (settings: Record<string, string>) => {
  await loaded
  Object.assign(process.env, settings)
  process.off('disconnect', leave)
  await load(main)
})
