import { beforeEach, expect, test } from 'vitest'
import { linkEntry } from '../../../../src/onboarding/domain/audit/audit-entry.ts'
import { completionRound, type Link } from '../../../../src/onboarding/domain/link.ts'
import { intendSending } from '../../../../src/onboarding/linking/flows/intend-sending.ts'
import { breaks } from '../../../support/memory/doubles.ts'
import { byBrowser, type MemoryWorld, openMemoryWorld } from '../../../support/memory/world.ts'

let world: MemoryWorld
let link: Link
beforeEach(async () => {
  world = await openMemoryWorld()
  link = await world.addLink()
})

const write = () =>
  world.links.move(
    link,
    'exchanging',
    { takeOver: true },
    linkEntry(link, 'exchanging', byBrowser, { following: 'callback' }),
  )
const intend = (writing = write) => intendSending(world, link, { write: writing, withdraw: breaks })
const mark = (attempt: string) => world.marks.claim('sent', completionRound(link), attempt)
function later() {
  let resolve = () => {}
  const promise = new Promise<void>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}

test('the code may leave only after the mark, if the intent comes first', async () => {
  const marked = later()
  const { claim } = world.marks
  world.marks.claim = async (...args) => {
    await marked.promise
    return claim(...args)
  }
  let maySend = false

  const intended = intend().then(() => {
    maySend = true
  })
  await world.pause()
  const before = { state: (await world.links.find(link.id))?.state, maySend }
  marked.resolve()
  await intended

  expect(before).toEqual({ state: 'exchanging', maySend: false })
  expect(maySend).toBe(true)
})

test('the code may leave only after the intent, if the mark comes first', async () => {
  const written = later()
  let maySend = false

  const intended = intend(() => written.promise.then(write)).then(() => {
    maySend = true
  })
  await world.pause()
  const before = { isMarked: !(await mark('another')), maySend }
  written.resolve()
  await intended

  expect(before).toEqual({ isMarked: true, maySend: false })
  expect(maySend).toBe(true)
})

test('an attempt whose intent cannot be written leaves no mark', async () => {
  await expect(intend(breaks)).rejects.toThrow(TypeError)
  await world.pause()

  expect(await mark('a reload')).toBe(true)
})

test('an attempt that another one overtook leaves no mark', async () => {
  await write()

  expect(await intend()).toBeUndefined()
  await world.pause()
  expect(await mark('a reload')).toBe(true)
})

test('a mark whose response was lost is released too', async () => {
  const { claim } = world.marks
  world.marks.claim = async (...args) => {
    await claim(...args)
    return breaks()
  }

  await expect(intend(breaks)).rejects.toThrow(TypeError)
  await world.pause()

  expect(await claim('sent', completionRound(link), 'a reload')).toBe(true)
})

test('the attempt with the intent waits until the other one has released its mark', async () => {
  await mark('the other')
  const { pause } = world
  world.pause = async () => {
    await world.marks.release('sent', completionRound(link), 'the other')
    return pause()
  }

  expect(await intend()).toMatchObject({ isOurs: true, link: { state: 'exchanging' } })
})

test('an attempt that finds an unreleased mark does not send the code', async () => {
  await mark('the other')

  expect(await intend()).toMatchObject({ isOurs: false })
})
