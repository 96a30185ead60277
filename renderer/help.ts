import type { KeyLine } from './lib/keyboard.ts';

export interface Help {
  /** What the screen is for, in three sentences. */
  readonly purpose: readonly [string, string, string];
  /** The keys of this screen; a view adds those of its current state (`lib/page.svelte.ts`). */
  readonly keys?: readonly KeyLine[];
}

const answering: readonly KeyLine[] = [
  ['$mod Enter', 'Start, from any field of the form'],
  ['Esc', 'Cancel what is running'],
];

/** The help of each screen by the first part of its address; `welcome` creates and opens workspaces. */
export const help: Readonly<Record<string, Help>> = {
  welcome: {
    purpose: [
      'Create a workspace, or open one.',
      'A workspace is one folder that holds your datasets, labels, runs and checkpoints.',
      'Nothing leaves this machine, and you can copy the folder as a backup while it is closed.',
    ],
  },
  home: {
    purpose: [
      'See what this workspace holds, what is running, and what to do next.',
      'The loop leads from data through labels and a reward model to a trained policy and a comparison.',
      'Each part of the loop opens its screen; the demo fills all of them in about five minutes.',
    ],
  },
  datasets: {
    purpose: [
      'Import prompts, answers or preference pairs from a JSON, JSON lines or CSV file.',
      'The doctor finds duplicates, contradictions, leaks, personal data and likely wrong marks; each number ' +
        'opens its rows, and a repair is one step that can be undone.',
      'Query, tag, exclude and edit rows, compute columns from them; then label their answers or train on them.',
    ],
    keys: [
      ['/', 'Query the rows; Escape clears it'],
      ['n', 'New dataset from these rows'],
      ['s', 'Split the rows into parts'],
      ['x', 'Select the row, or not'],
      ['$mod+z', 'Undo the last step; with Shift, redo'],
      ['PgUp PgDn', 'Twenty rows up or down'],
      ['← →', 'Previous or next tab'],
      ['$mod+Enter', 'On the SQL tab: run the statement; Escape cancels it'],
    ],
  },
  'runs/experiments': {
    purpose: [
      'See the sweeps of this workspace, one table each, with the best configuration marked.',
      'A row is one configuration; its seeds are folded to a mean with its interval.',
      'Compare and Explore open all of its runs; a sweep that was stopped can go on.',
    ],
  },
  'runs/plans': {
    purpose: [
      'Launch several runs from one file: what follows what, rounds, and data made of the answers of earlier runs.',
      'Each node of a plan is a run or a dataset of its own, and begins when all that it needs is done.',
      'Compare opens the runs of a plan; a plan that was stopped goes on at the node where it was.',
    ],
  },
  'runs/behaviour': {
    purpose: [
      'Write a behaviour as a chart over the observations of a control world, in a diagram or as text.',
      'A check searches the world for states that never or always hold, and for an order that cannot be.',
      'Episodes of a run are replayed through the chart, step by step; with a weight it is a reward of a run.',
    ],
    keys: [
      ['$mod z', 'Undo the last edit'],
      ['$mod Shift z', 'Redo it'],
      ['Alt ←', 'Move the focused state to an earlier place'],
      ['Alt →', 'Move it to a later place'],
    ],
  },
  label: {
    purpose: [
      'Decide which of two answers to a prompt is better, one key per decision.',
      'Create a label set from a dataset or from the answers of a run, then continue any set where you left it.',
      'Each decision is stored at once, and the decisions train a reward model or a policy; Quality says how far ' +
        'they can be trusted.',
    ],
  },
  rewards: {
    purpose: [
      'Inspect a reward model before you train against it.',
      'Its accuracy on held-out pairs, calibration and length bias show whether it learned more than answer ' +
        'length.',
      'Score any answer of your own with it, and compare two versions of that answer.',
    ],
  },
  runs: {
    purpose: [
      'Follow the runs of this workspace: one trains at a time, the others wait in the queue.',
      'Choose a run for its curves, sampled answers, results and configuration.',
      'A run can be stopped, resumed from its newest checkpoint, copied, or re-scored with other rewards.',
    ],
    keys: [['← →', 'Previous or next tab'], ...answering],
  },
  'runs/new': {
    purpose: [
      'Set up a run: the training method, the data, the model it starts from and the budget.',
      'The form marks every field that cannot be used, and estimates memory and time before the run starts.',
      'Runs train one after another; a new one waits in the queue until the device is free.',
    ],
  },
  'runs/import': {
    purpose: [
      'Read the logs of other tools as runs: a file, or a folder with all below it.',
      'The runs that are found are listed first; choose those to import.',
      'Either all of them are stored or none, and a log that was imported before is left out.',
    ],
  },
  'runs/export': {
    purpose: [
      'Write all curves of runs for TensorBoard, Weights & Biases or a table.',
      'TensorBoard and Weights & Biases take a new folder, with a folder for each run.',
      'The other formats are one file, with the run in a column.',
    ],
  },
  compare: {
    purpose: [
      'Choose a baseline: each other run is better, worse, or cannot be told apart, on the same problems.',
      'See which problems only one run solves, read both answers, and compare curves and configurations.',
      'The address holds the whole view; export it as one HTML file, or a table as CSV.',
    ],
    keys: [['← →', 'Previous or next tab']],
  },
  models: {
    purpose: [
      'Add folders of Hugging Face models, and find the checkpoints of your own runs.',
      'Prompt a model and read how likely each token of its answer was.',
      'Start a run from a model, or export a checkpoint for other tools.',
    ],
    keys: [...answering, ['← →', 'Previous or next token of the answer']],
  },
  lineage: {
    purpose: [
      'Walk from a number to the run, the labels and the dataset version behind it, and back.',
      'What a thing was made from is on its left, what was made from it on its right.',
      'Click a thing, or press Enter, to see the graph around it.',
    ],
    keys: [
      ['← →', 'To what it was made from, and what was made from it'],
      ['↑ ↓', 'Within the column; Home leads to the centre'],
      ['Enter', 'The graph around the thing'],
      ['o', 'Open its page'],
    ],
  },
  methods: {
    purpose: [
      'Find a training method by name, by paper or by part, or a world of built-in problems.',
      'Each method shows its steps, its parameters and the result of a small test run.',
      'Launch a run with a method from its page.',
    ],
    keys: [
      ['/', 'Find a method or a world'],
      ['↓', 'From the search field to the next result'],
    ],
  },
  atlas: {
    purpose: [
      'See which of 291 published systems of post-training work in this version, and by which test.',
      'A system that can be expressed is launched from here, with its difference to the paper.',
      'All others say which part they need, and the address holds the filter and the system.',
    ],
    keys: [
      ['/', 'Find a system; Escape clears it'],
      ['↓ ↑', 'From the search field to the next system, and on from there'],
    ],
  },
  settings: {
    purpose: [
      'Choose the theme and the reading size, and rename the workspace.',
      'See which devices can train here, and add a provider library for a GPU.',
      'Back up the workspace, and delete files that nothing uses any more.',
    ],
  },
  'self-test': {
    purpose: [
      'Check that a device computes what theory predicts.',
      'Each test trains a tiny problem whose exact result is known, and compares the two.',
      'Run it after you change a device, a driver or the engine.',
    ],
  },
};
