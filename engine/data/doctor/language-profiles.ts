/** The commonest words of languages in Latin and Cyrillic script, and letters that few of them have. */
export interface Profile {
  readonly words: string;
  readonly letters: string;
}

export const latin: Readonly<Record<string, Profile>> = {
  en: {
    words:
      'the of and to a in is that it was for on are as with his they at be this have from or had by but not what ' +
      'all were we when your can said there use an each which she do how their if will up about out many then them',
    letters: '',
  },
  de: {
    words:
      'der die und in den von zu das mit sich des auf für ist im dem nicht ein eine als auch es an werden aus er ' +
      'hat dass sie nach wird bei einer um am sind noch wie einem über einen so zum war haben nur oder aber vor ' +
      'bis mehr durch man ich du wir kann',
    letters: 'ßäöü',
  },
  fr: {
    words:
      'de la le et les des en un du une que est pour qui dans par plus pas au sur ne se ce il sont avec ou son lui ' +
      'nous comme mais on si leur y dont elle cette été aussi je vous aux ces fait tout deux être même',
    letters: 'çèêàùœî',
  },
  es: {
    words:
      'de la que el en y a los del se las por un para con no una su al lo como más pero sus le ya o este sí porque ' +
      'esta entre cuando muy sin sobre también me hasta hay donde quien desde todo nos durante todos uno les ni',
    letters: 'ñ¿¡',
  },
  it: {
    words:
      'di che è e la il un a per in una mi sono ho non ma lo ha le si ti i con cosa se io come da ci no questo qui ' +
      'del della dei delle nel nella alla al gli anche più essere stato sua suo quando perché molto tutto questa',
    letters: 'ìò',
  },
  pt: {
    words:
      'de a o que e do da em um para é com não uma os no se na por mais as dos como mas foi ao ele das tem à seu ' +
      'sua ou ser quando muito há nos já está eu também só pelo pela até isso ela entre era depois sem mesmo você',
    letters: 'ãõ',
  },
  nl: {
    words:
      'de van het een en in is dat op te zijn met voor niet aan er die ook als bij of maar dan om uit wordt naar ' +
      'door nog hij was over heeft ik je ze we wat worden deze hebben kan meer geen moet al werd onder',
    letters: '',
  },
  pl: {
    words:
      'i w na z do się nie to jest że o jak po od za dla ale są tak przez co czy był ich już tym jego może być ' +
      'przy które który ma tylko oraz jej go ten ta te było tego jako ze pod',
    letters: 'ąęłńśźż',
  },
  sv: {
    words:
      'och i att det som en på är av för med den till ett inte om har de jag var sig så kan man från vid hade när ' +
      'men ska eller också efter ut upp vi under bara skulle hans detta mycket mot än',
    letters: '',
  },
  da: {
    words:
      'og i at det er en til på af for som med de den der ikke et var han har om fra men jeg vi kan så hun sig blev ' +
      'også eller efter være havde kun mig hvad skal når blive meget mellem nogle ud end',
    letters: 'æø',
  },
  no: {
    words:
      'og i det er på som en til av for at med de den ikke et var han har om fra men jeg vi kan så hun seg ble også ' +
      'eller etter være hadde bare meg hva skal når bli mye mellom noen ut enn',
    letters: 'æø',
  },
  cs: {
    words:
      'a se v na je že s z do o k i pro za by ale to jako jsou po od jeho který nebo jsem byl jen tak při také co ' +
      'až ve už která bylo není které před mezi podle ze když ještě byla jsme',
    letters: 'ěřůčš',
  },
  ro: {
    words:
      'de și în a la cu care pe nu o din un este se ca pentru mai că sunt am prin fi au sau după dar al ale fost ' +
      'într această acest ce unei lui fără până între ei când avea foarte tot',
    letters: 'ățș',
  },
  hu: {
    words:
      'a az és hogy nem is egy ez de meg ha csak volt mint már el azt még vagy van itt kell lehet minden után aki ' +
      'amely nagyon ki be én ezt úgy sem majd két vissza között',
    letters: 'őű',
  },
  fi: {
    words:
      'ja on ei että se hän oli mutta kun niin kuin ovat myös tai joka sen mukaan jo vain ole olla ollut jos voi ' +
      'sitä tämä ne kanssa jotka hänen nyt minä sekä siitä mitä vielä tämän',
    letters: '',
  },
  tr: {
    words:
      've bir bu da de için ile çok olarak daha gibi ne kadar var olan o ama en sonra her ben değil mi ya diye ki ' +
      'göre şey ancak nasıl içinde olduğu ise iki hem yok zaman',
    letters: 'ğşı',
  },
  id: {
    words:
      'yang dan di itu dengan untuk tidak ini dari dalam akan pada juga saya ke karena tersebut bisa ada mereka ' +
      'lebih kata tahun sudah atau saat oleh menjadi orang telah kami adalah seperti kita anda',
    letters: '',
  },
  vi: {
    words:
      'và của là có cho không các được trong với một người những này đã để khi từ đến cũng như về ra tôi nhiều phải ' +
      'vào còn đó sẽ rất tại theo nước năm làm',
    letters: 'đơưạảấầếềộợ',
  },
};

export const cyrillic: Readonly<Record<string, Profile>> = {
  ru: {
    words:
      'и в не на я что он с как это по но все она так его а из у за то же от было для бы мы вы если уже или только ' +
      'быть был до даже при ни когда чем есть них может где ты очень сегодня',
    letters: 'ыэё',
  },
  uk: {
    words:
      'і в не на що та з у до як це за він від але про по був також для є або його вона які при так ми ще вже якщо ' +
      'тільки було між бути коли було її',
    letters: 'іїєґ',
  },
  bg: {
    words:
      'на и да в се от за не е с по са че като но той как до който които през или тя си при това има след още му ' +
      'бе беше само може когато',
    letters: '',
  },
  sr: {
    words:
      'је и у да се на су за од са као који не то ће али код био или што била до која о због након само још више ' +
      'током због они',
    letters: 'ђјљњћџ',
  },
};
