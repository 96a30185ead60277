/** Stores eight runs of 40,000 points with a spike each in a new workspace, and prints their ids. Argument: folder. */
import { storeCurves } from './stored-curves.ts';

process.stdout.write(JSON.stringify((await storeCurves(process.argv[2], 8, 40_000)).ids));
