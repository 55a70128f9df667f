"""The small words by which languages of the Latin script are told apart."""

from __future__ import annotations


def word_set(words: str) -> frozenset[str]:
    """The words of a text as a set."""
    return frozenset(words.split())


LANGUAGES = {
    "English": word_set(
        """the of and to is in that it was for are with as his they be this have from or had by but what some we can out
        other were all there when up use your how said an each she which do their if will way about many then them would
        so these her him has two more could my than first been who its now find did get may each how does find what
        a i he you at on not let one much total let's us"""
    ),
    "Spanish": word_set(
        """el los las que es en una por con para del como más pero sus sí porque esta entre cuando muy también hasta hay
        donde quien desde nos durante estados todos uno les otros ese eso ante ellos entonces ahora tenemos podemos
        primero luego respuesta número sumamos total obtenemos así debemos cada son tiene vamos paso resultado su al"""
    ),
    "French": word_set(
        """le les des est et dans que pour qui sur une avec par pas au aux nous vous ils elle donc alors mais ce cette
        sont puis ensuite réponse nombre obtient avons peut il du faut ainsi chaque plus d'abord c'est ont était"""
    ),
    "German": word_set(
        """der die das und ist nicht ein eine einen von mit zu den dem des wir sie für auf auch sich im wird sind dann
        aber oder zuerst also durch haben hat müssen antwort zahl ergibt nun jetzt bei noch wie nach aus insgesamt
        daher"""
    ),
    "Italian": word_set(
        """il gli che è di della del per con una sono non come più ma anche questo questa quindi poi allora risposta
        numero abbiamo possiamo nel alla dei le prima ogni ha dobbiamo otteniamo totale si cui"""
    ),
    "Portuguese": word_set(
        """o os as que é em um uma para com não por mais como mas foi ao ele das tem seu sua ou quando muito nos já está
        também pelo pela então depois resposta número temos podemos primeiro cada são do da dos obtemos assim"""
    ),
    "Dutch": word_set(
        """de het een van en is dat niet te zijn op met voor er maar om ook als dan wij we naar bij uit nog wordt deze
        dus eerst antwoord aantal hebben heeft moeten nu elk totaal door krijgen"""
    ),
    "Polish": word_set(
        "i w nie na się że jest to z do jak ale po co tak za od ten przez dla więc teraz liczba mamy odpowiedź każdy"
    ),
    "Turkish": word_set(
        "ve bir bu için ile de da olarak daha çok ne kadar sonra her şimdi cevap sayı toplam olur ise gibi var"
    ),
    "Indonesian": word_set(
        "yang dan di ini untuk dengan dari adalah tidak pada akan kita dapat jadi sekarang jumlah jawaban setiap maka"
    ),
}
"""Language to its function words; some belong to several."""
_shared = LANGUAGES["English"]
OF_WORD = {word: True for words in LANGUAGES.values() for word in words if word not in _shared}
"""Function words of the languages other than English."""
