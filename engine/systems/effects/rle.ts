import { claim, type Measure, type SystemEffects } from '../kernel/effect.ts';

const evenness: Measure = {
  of: 'entropy of the visits of all 51,200 steps to states, over the log of the number of states',
  better: 'higher',
};
/** In the large rooms, without reward. */
const freeEvenness: Measure = {
  of: 'entropy of the visits of all 122,880 steps to states, over the log of the number of states',
  better: 'higher',
};
const share: Measure = { of: 'share of the states that were visited in 122,880 steps', better: 'higher' };
const returns: Measure = { of: 'mean return of 100 episodes after 51,200 steps', better: 'higher' };

export const rle: SystemEffects = {
  system: 'rle',
  seeds: 5,
  budget: '51,200 steps in each world, 122,880 in the large rooms',
  claims: [
    claim(
      'RLE against PPO, four-rooms: visits are spread wider',
      'PPO',
      evenness,
      '+.113 [−.015, .227]',
      'no',
    ),
    claim('RLE against PPO, four-rooms: more return', 'PPO', returns, '+.158 [−.098, .388]', 'no'),
    claim(
      'RLE against RND, four-rooms: visits are spread wider',
      'RND',
      evenness,
      '+.037 [−.061, .138]',
      'no',
    ),
    claim('RLE against RND, four-rooms: more return', 'RND', returns, '+.200 [−.072, .476]', 'no'),
    claim(
      'RLE against noise in weights, four-rooms: visits are spread wider',
      'noise in weights',
      evenness,
      '+.071 [−.040, .163]',
      'no',
    ),
    claim(
      'RLE against noise in weights, four-rooms: more return',
      'noise in weights',
      returns,
      '+.070 [−.184, .318]',
      'no',
    ),
    claim(
      'RLE against PPO, key-door: visits are spread wider',
      'PPO',
      evenness,
      '−.016 [−.025, −.007]',
      'opposite',
    ),
    claim('RLE against PPO, key-door: more return', 'PPO', returns, '−.282 [−.558, −.104]', 'opposite'),
    claim(
      'RLE against RND, key-door: visits are spread wider',
      'RND',
      evenness,
      '−.042 [−.052, −.031]',
      'opposite',
    ),
    claim('RLE against RND, key-door: more return', 'RND', returns, '+.118 [−.118, .380]', 'no'),
    claim(
      'RLE against noise in weights, key-door: visits are spread wider',
      'noise in weights',
      evenness,
      '−.014 [−.027, −.003]',
      'opposite',
    ),
    claim(
      'RLE against noise in weights, key-door: more return',
      'noise in weights',
      returns,
      '−.242 [−.548, −.044]',
      'opposite',
    ),
    claim('RLE against PPO, deep-sea: visits are spread wider', 'PPO', evenness, '+.051 [.016, .088]', 'yes'),
    claim('RLE against PPO, deep-sea: more return', 'PPO', returns, '−.0005 [−.0008, −.0001]', 'opposite'),
    claim(
      'RLE against RND, deep-sea: visits are spread wider',
      'RND',
      evenness,
      '+.0004 [−.0004, .0015]',
      'no',
    ),
    claim('RLE against RND, deep-sea: more return', 'RND', returns, '+.0000 [−.0001, .0001]', 'no'),
    claim(
      'RLE against noise in weights, deep-sea: visits are spread wider',
      'noise in weights',
      evenness,
      '+.058 [.025, .089]',
      'yes',
    ),
    claim(
      'RLE against noise in weights, deep-sea: more return',
      'noise in weights',
      returns,
      '−.0006 [−.0008, −.0003]',
      'opposite',
    ),
    claim(
      'RLE against the entropy bonus alone, large-rooms without reward: more states are visited',
      'the entropy bonus alone',
      share,
      '+.050 [−.011, .111]',
      'no',
    ),
    claim(
      'RLE against the entropy bonus alone, large-rooms without reward: visits are spread wider',
      'the entropy bonus alone',
      freeEvenness,
      '−.033 [−.074, .003]',
      'no',
    ),
    claim(
      'RLE against RND, large-rooms without reward: more states are visited',
      'RND',
      share,
      '+.154 [.101, .207]',
      'yes',
    ),
    claim(
      'RLE against RND, large-rooms without reward: visits are spread wider',
      'RND',
      freeEvenness,
      '+.361 [.265, .470]',
      'yes',
    ),
    claim(
      'RLE against noise in weights, large-rooms without reward: more states are visited',
      'noise in weights',
      share,
      '−.038 [−.210, .133]',
      'no',
    ),
    claim(
      'RLE against noise in weights, large-rooms without reward: visits are spread wider',
      'noise in weights',
      freeEvenness,
      '+.223 [.053, .367]',
      'yes',
    ),
  ],
};
