export { measureAnswers } from './answers.ts';
export {
  suiteColumns,
  suiteItems,
  suiteKindOf,
  type AnswersItem,
  type StepsItem,
  type SuiteItems,
  type SuiteRecord,
} from './items.ts';
export { measureSteps, usualThreshold } from './process-bench.ts';
